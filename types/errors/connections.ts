import type { ErrorEntry } from './error_entry.ts';

/** The errors of connections. */
export const connectionErrors = {
  connection_not_found: {
    status: 404,
    meaning: "There is no such connection, or it is somebody else's.",
    remedy: 'Check the name; store the connection first.',
    example: { message: 'There is no such connection.' },
  },
  connection_test_failed: {
    status: 422,
    meaning: 'The request of a test was not made or got no answer; the message tells the reason.',
    remedy: "Use an https URL of the connection's hosts; check that the server answers.",
    example: {
      message:
        'connection_url_refused: the connection "mail" is not for this URL: it must be an https URL of the connection\'s hosts',
    },
  },
  connection_changed: {
    status: 409,
    meaning: 'Two requests stored a connection with the same name at the same time, and the other one was first.',
    remedy: 'Send the request again if its secret is the right one.',
    example: {
      message: 'The connection was stored by another request at the same time.',
      hint: 'Send the request again if its secret is the right one.',
    },
  },
  connection_in_use: {
    status: 409,
    meaning: 'A tagged deployment uses the connection; `details` lists the first 100 with their tags.',
    remedy: 'Move the tags to deployments without the connection, or delete the deployments, then delete it.',
  },
} as const satisfies Record<string, ErrorEntry>;
