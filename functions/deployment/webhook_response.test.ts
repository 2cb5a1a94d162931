import { describe, expect, it } from 'vitest';
import { requestLimits } from '../../types/limits/requests.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';
import { webhookResponse } from './webhook_response.ts';

const S = (text: string): Value => ({ S: text });
const respond = (response: ValueMap) => webhookResponse({ response: { M: response } });
const withHeaders = (headers: ValueMap) => respond({ headers: { M: headers } }).headers;
const withType = (type: string, more: ValueMap = {}) =>
  withHeaders({ 'Content-Type': S(type), ...more }).get('content-disposition');

it('an output without response is the answer, as readable JSON', async () => {
  const response = webhookResponse({ total: { U: '7' }, names: { A: [S('a')] } });
  expect([response.status, await response.json()]).toEqual([200, { total: 7, names: ['a'] }]);
  expect(Object.fromEntries(response.headers)).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': 'sandbox',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
  });
});

describe('body', () => {
  it.each<[string, Value, string, string]>([
    ['a text', S('Zoë'), 'text/plain; charset=utf-8', 'Zoë'],
    ['bytes', { BY: btoa('raw') }, 'application/octet-stream', 'raw'],
    ['32 bytes', { B3: '1'.repeat(32) }, 'application/octet-stream', '\0'.repeat(32)],
    ['a map', { M: { size: { D: '1.50' } } }, 'application/json', '{"size":"1.50"}'],
    ['a list', { A: [{ B: true }] }, 'application/json', '[true]'],
    ['a boolean', { B: false }, 'application/json', 'false'],
  ])('%s', async (_what, body, type, text) => {
    const response = respond({ body });
    expect([response.headers.get('content-type'), await response.text()]).toEqual([type, text]);
  });

  it.each<[string, ValueMap]>([['absent', {}], ['null', { body: { N: 0 } }]])('is empty if it is %s', async (_, of) => {
    const response = respond(of);
    expect([response.headers.get('content-type'), await response.text()]).toEqual([null, '']);
  });

  it('is left out where the status has none', async () => {
    expect(await respond({ status: { U: '204' }, body: S('text') }).text()).toBe('');
  });

  it('is bounded', () => {
    const most = requestLimits.webhook_answer_bytes.value;
    expect(respond({ body: S('x'.repeat(most)) }).status).toBe(200);
    expect(() => respond({ body: S(`${'x'.repeat(most - 1)}ä`) })).toThrow('body must have at most 1048576 bytes');
    expect(() => webhookResponse({ big: S('x'.repeat(most)) })).toThrow('body must have at most');
  });
});

describe('status', () => {
  it.each<[Value, number]>([[{ U: '201' }, 201], [{ I: '599' }, 599], [{ F: '404' }, 404], [{ D: '418' }, 418]])(
    '%j',
    (status, expected) => expect(respond({ status }).status).toBe(expected),
  );

  it.each<[Value]>([
    [{ U: '199' }],
    [{ U: '101' }],
    [{ U: '600' }],
    [{ I: '-200' }],
    [{ U: '18446744073709551615' }],
    [{ F: '200.5' }],
    [{ F: 'NaN' }],
    [{ D: '200.50' }],
    [S('200')],
    [{ M: {} }],
  ])('%j is refused', (status) => {
    expect(() => respond({ status })).toThrow('status must be a whole number from 200 to 599');
  });
});

describe('headers', () => {
  it('of content and of the flow’s own are set, in any case', () => {
    const headers = withHeaders({
      'Retry-After': { U: '30' },
      'X-Request-Id': S('7'),
      'Cache-Control': S('max-age=5'),
    });
    expect([headers.get('retry-after'), headers.get('x-request-id'), headers.get('cache-control')])
      .toEqual(['30', '7', 'max-age=5']);
  });

  it.each([
    'Set-Cookie',
    'Location',
    'Refresh',
    'Access-Control-Allow-Origin',
    'Content-Security-Policy-Report-Only',
    'Cross-Origin-Opener-Policy',
    'X-Frame-Options',
    'X-XSS-Protection',
    'X-DNS-Prefetch-Control',
    'X-Accel-Redirect',
    'X-Sendfile',
    'X-Forwarded-Host',
    'Strict-Transport-Security',
    'Clear-Site-Data',
    'Service-Worker-Allowed',
    'Www-Authenticate',
    'Link',
    'Report-To',
    'Transfer-Encoding',
    'Content-Encoding',
    'Content-Length',
    'Connection',
    'x-',
    'x-a\r\nset-cookie',
    'x a',
    'x-ä',
    '',
    '__proto__',
  ])('%j is dropped', (name) => {
    const headers = withHeaders(Object.fromEntries([[name, S('1')]]));
    expect([...headers.keys()]).toEqual(['cache-control', 'content-security-policy', 'x-content-type-options']);
  });

  it('for safety keep their values', () => {
    const headers = withHeaders({
      'Content-Security-Policy': S("script-src 'unsafe-inline'"),
      'X-Content-Type-Options': S('none'),
    });
    expect([headers.get('content-security-policy'), headers.get('x-content-type-options')])
      .toEqual(['sandbox', 'nosniff']);
  });

  it.each<[string, Value]>([
    ['a line break', S('a\r\nset-cookie: session=1')],
    ['a single line feed', S('a\nb')],
    ['NUL', S('a\0b')],
    ['another script', S('Zoë')],
    ['a boolean', { B: true }],
    ['a list', { A: [S('a')] }],
    ['a map', { M: {} }],
  ])('%s in a value is refused', (_what, value) => {
    expect(() => withHeaders({ 'X-A': value })).toThrow(/^the header x-a must /);
  });

  it('are bounded together', () => {
    const half = S('x'.repeat(requestLimits.webhook_answer_headers_bytes.value / 2 - 3));
    expect(withHeaders({ 'x-a': half, 'x-b': half }).has('x-b')).toBe(true);
    expect(() => withHeaders({ 'x-a': half, 'x-bc': half })).toThrow('headers must have at most 8192 bytes');
  });

  it('that are not an object are refused', () => {
    expect(() => respond({ headers: { A: [] } })).toThrow('headers must be an object');
  });
});

describe('a content type', () => {
  it.each(['text/plain', 'application/problem+json; charset=utf-8', 'image/png', 'video/mp4', 'TEXT/CSV'])(
    '%s is shown',
    (type) => expect(withType(type)).toBeNull(),
  );

  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'text/xml',
    'application/xml',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/javascript',
    'application/javascript',
    'text/css',
    'application/pdf',
    'application/x-unheard-of',
    'multipart/x-mixed-replace',
  ])('%s is a download', (type) => {
    expect(withType(type)).toBe('attachment');
    expect(withType(type, { 'content-disposition': S('inline; filename="attachment"') })).toBe('attachment');
    expect(withType(type, { 'content-disposition': S('attachment; filename="a.html"') }))
      .toBe('attachment; filename="a.html"');
  });

  it.each(['text/plain, text/html', 'text', 'text /plain', '/', ''])('%j is refused', (type) => {
    expect(() => withType(type)).toThrow('the header content-type must be one media type');
  });
});

it.each<[ValueMap, string]>([
  [{ response: S('text') }, 'it must be an object'],
  [{ response: { M: { staus: { U: '200' } } } }, 'it may have status, headers and body only'],
])('another response is refused: %j', (output, message) => {
  expect(() => webhookResponse(output)).toThrow(message);
});
