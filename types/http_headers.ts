/**
 * Headers that only an HTTP client may set, because they describe the connection or the length of the message. Source:
 * RFC 9110, sections 7.2, 7.6, 8.6 and 10.1.1.
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
