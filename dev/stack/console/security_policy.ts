/** What the console's pages are served with. */
export interface ConsoleTarget {
  /** The address of the project that the console calls. */
  apiUrl: string;
}

/** The same origin for WebSockets, which Realtime needs. */
const webSocketOrigin = (origin: string): string => origin.replace(/^http/, 'ws');

/**
 * The Content-Security-Policy of the console: its own files, and calls to its project only. Styles may stand in the
 * page, because the component library, the canvas and the code editor write style elements; a script may not.
 */
export function contentSecurityPolicy({ apiUrl }: ConsoleTarget): string {
  const { origin } = new URL(apiUrl);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${origin} ${webSocketOrigin(origin)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** What only a header can say: nobody shows the console in a frame of theirs. */
export const FRAME_POLICY = "frame-ancestors 'none'";
