import { Agent, request } from 'node:http';

/** A request that is repeated many times. */
export interface HttpCall {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

export interface HttpClient {
  send: (call: HttpCall) => Promise<string>;
  close: () => void;
}

/** Makes a client with kept-alive connections. If the status of an answer is not 2xx, the client throws the body. */
export function makeHttpClient(connections: number): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send: ({ url, method, headers, body = '' }) =>
      new Promise((resolve, reject) => {
        const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
        const sent = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => text += chunk);
          response.once('error', reject);
          response.once('end', () => {
            if (Math.floor((response.statusCode ?? 0) / 100) === 2) resolve(text);
            else reject(new Error(`${method} ${url} answered ${response.statusCode}: ${text}`));
          });
        });
        sent.once('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
