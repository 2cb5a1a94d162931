import type { ErrorEntry } from './error_entry.ts';

/** The errors of connections, and of documents that are read for the definitions of nodes. */
export const connectionErrors = {
  connection_not_found: {
    status: 404,
    meaning: "There is no such connection, or it is somebody else's.",
    remedy: 'Check the name; store the connection first.',
    example: { message: 'There is no such connection.' },
  },
  connection_test_failed: {
    status: 422,
    meaning: 'The test made no request, or its request got no answer; the message tells the reason.',
    remedy: "Use an https URL of the connection's hosts; check that the server answers.",
    example: {
      message:
        'connection_url_refused: the connection "mail" is not for this URL of example.com: its hosts do not name it',
    },
  },
  connection_changed: {
    status: 409,
    meaning:
      'Another request stored a connection of the same name at the same time and was first, so this request stored nothing.',
    remedy: 'Send the request again if its secret is the right one.',
    example: {
      message: 'The connection was stored by another request at the same time.',
      hint: 'Send the request again if its secret is the right one.',
    },
  },
  connection_in_use: {
    status: 409,
    meaning: 'A tagged deployment uses the connection; `details` lists the first 100 with their tags.',
    remedy:
      'Move the tags to deployments that do not use the connection, or delete the deployments. Then delete the connection.',
  },
  document_unreadable: {
    status: 422,
    meaning: 'The server gave no document, or no list of tools. The message tells the reason.',
    remedy: 'Open the address in a browser. Name a connection if the server wants a credential.',
    example: {
      message: 'status code: 404',
      hint: 'The address must be that of the document itself, not of a page that shows it.',
    },
  },
} as const satisfies Record<string, ErrorEntry>;
