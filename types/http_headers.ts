/**
 * Headers of the connection and the message, which only an HTTP client may set. Source: RFC 9110, sections 7.2, 7.6, 8.6
 * and 10.1.1.
 */
export const CONNECTION_HEADERS: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
