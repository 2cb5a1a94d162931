/** The project that the console's pages call. */
interface ConsoleTarget {
  /** The address of the project. */
  apiUrl: string;
  /**
   * The source of the console's scripts, such as `127.0.0.1:54321/console/assets/`. By default the whole origin of the
   * page, because a static build does not know its host.
   */
  scripts?: string;
}

/** Returns the WebSocket origin of an origin, which Realtime needs. */
const webSocketOrigin = (origin: string): string => origin.replace(/^http/, 'ws');

/**
 * Makes the Content-Security-Policy of the console. It allows only the console's own files and calls to its project.
 * Inline scripts are forbidden. Inline styles are allowed, because the component library, the canvas and the code
 * editor insert style elements. The console's own scripts may compile WebAssembly, because the parser of JavaScript is
 * WebAssembly.
 */
export function contentSecurityPolicy({ apiUrl, scripts = "'self'" }: ConsoleTarget): string {
  const { origin } = new URL(apiUrl);
  return [
    "default-src 'none'",
    `script-src ${scripts} 'wasm-unsafe-eval'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${origin} ${webSocketOrigin(origin)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** A directive that browsers obey only in a header: no page may show the console in a frame. */
export const FRAME_POLICY = "frame-ancestors 'none'";
