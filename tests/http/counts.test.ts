import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, inject, it } from 'vitest';
import { signUp } from '../support/people.ts';

const { API_URL, PUBLISHABLE_KEY, SERVICE_ROLE_KEY } = inject('stack');

/** Requests rows with these Prefer headers. */
const count = (prefer: string | string[], token: string, method = 'GET') =>
  new Promise<{ status: number | undefined; range: string | undefined; body: string }>((resolve, reject) => {
    const headers = { apikey: PUBLISHABLE_KEY, authorization: `Bearer ${token}`, prefer };
    const sent = request(`${API_URL}/rest/v1/flow_deployments?select=id`, { method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode, range: response.headers['content-range'], body });
    });
    sent.on('error', reject).end();
  });

it('only exact counts are allowed, because estimates would reveal rows that the caller may not see', async () => {
  const { token } = await signUp();
  for (
    const prefer of [
      'count=planned',
      'count=estimated',
      'return=minimal,count=planned',
      ['count=planned', 'return=minimal'],
      ['return=minimal', 'count=estimated'],
    ]
  ) {
    const { status, body } = await count(prefer, token);
    expect([status, JSON.parse(body).code], String(prefer)).toEqual([400, 'count_inexact']);
    expect(await count(prefer, token, 'HEAD')).toMatchObject({ status: 400, range: undefined });
  }
  expect(await count('count=exact', token)).toMatchObject({ status: 200, range: '*/0' });
  expect(await count('count=planned', SERVICE_ROLE_KEY)).toMatchObject({ range: expect.stringMatching(/\/\d+$/) });
});

it('two Prefer headers reach the database as one', async () => {
  const { token } = await signUp();
  const socket = connect(Number(new URL(API_URL).port), '127.0.0.1');
  socket.write(
    `GET /rest/v1/flow_deployments?select=id HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\napikey: ${PUBLISHABLE_KEY}\r\n` +
      `Authorization: Bearer ${token}\r\nPrefer: count=planned\r\nPrefer: return=minimal\r\n\r\n`,
  );
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  expect(text.split('\r\n')[0]).toContain(' 400 ');
});
