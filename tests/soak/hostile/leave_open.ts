import { connect } from 'node:net';
import type { Attacker, Outcome } from './attacker.ts';

/** How long a silent connection is kept, unless the other side closes it first. */
const SILENCE_MS = 10_000;

/**
 * Sends the beginning of a request, and then nothing. Reads the whole answer, or only its first bytes if an option says
 * so.
 */
export function leaveOpen(
  { apiUrl, signal }: Attacker,
  head: string[],
  body = '',
  reads: 'all' | 'the beginning' = 'all',
): Promise<Outcome> {
  const { hostname, port } = new URL(apiUrl);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
      if (reads === 'the beginning') socket.pause();
    });
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    const abort = () => socket.destroy();
    signal.addEventListener('abort', abort);
    // Ignore the error: this attack, or a refusal by the other side, causes it.
    socket.on('error', () => {});
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      resolve({ status: status === undefined ? 'none' : Number(status), bytes: answer.length, body: answer });
    });
    socket.write([...head, `host: ${hostname}`, '', body].join('\r\n'));
  });
}
