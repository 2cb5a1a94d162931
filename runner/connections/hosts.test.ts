import { describe, expect, it } from 'vitest';
import { normalHost } from '../../types/connection.ts';
import { isWithinHosts } from './hosts.ts';

describe('the hosts of a connection', () => {
  it.each([
    ['https://api.example.com/any?x=1', ['api.example.com']],
    ['https://API.Example.com:443/', ['other.example', 'api.example.com']],
    ['https://api.example.com:8443/', ['api.example.com:8443']],
    ['https://[::1]:8443/', ['[::1]:8443']],
    ['https://api.example.com/v1', ['api.example.com/v1']],
    ['https://api.example.com/v1/', ['api.example.com/v1']],
    ['https://api.example.com/v1/items/a%2Fb', ['api.example.com/v1']],
    ['https://api.example.com/%76%31/items', ['api.example.com/v1']],
    ['https://api.example.com/v0/../v1/items', ['api.example.com/v1']],
    ['https://api.example.com/v1/..items', ['api.example.com/v1']],
    ['https://api.example.com/v1/b\u00fccher', ['api.example.com/v1']],
    ['https://api.example.com/a%20b', ['api.example.com']],
  ])('include %s', (url, hosts) => {
    expect(isWithinHosts(new URL(url), hosts)).toBe(true);
  });

  it.each([
    ['https://api.example.com.evil.example/', ['api.example.com']],
    ['https://evil.example/api.example.com', ['api.example.com']],
    ['https://api.example.com@evil.example/', ['api.example.com']],
    ['https://sub.api.example.com/', ['api.example.com']],
    ['https://api.example.com./', ['api.example.com']],
    ['https://api.example.com:8443/', ['api.example.com']],
    ['https://api.example.com/', ['api.example.com:8443']],
    ['https://api.example.com/v10', ['api.example.com/v1']],
    ['https://api.example.com//v1', ['api.example.com/v1']],
    ['https://api.example.com/V1', ['api.example.com/v1']],
    ['https://api.example.com/v1%2fadmin', ['api.example.com/v1']],
    ['https://api.example.com/v1/../admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/%2e%2E/admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/..%2fadmin', ['api.example.com/v1']],
    ['https://api.example.com/v1/x%2f..%2f..%2fadmin', ['api.example.com/v1']],
    ['https://api.example.com/v1/..%5cadmin', ['api.example.com/v1']],
    ['https://api.example.com/v1/%252e%252e/admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/%252e%252e%252fadmin', ['api.example.com/v1']],
    ['https://api.example.com/v1/..;a=b/admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/%ff/admin', ['api.example.com/v1']],
    [`https://api.example.com/v1/%${'25'.repeat(9)}2e`, ['api.example.com/v1']],
    ['https://api.example.com/v1/..%20/admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/%09../admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/.%00./admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/%c2%a0../admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/.%e2%80%8b./admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/a%20b', ['api.example.com/v1']],
    ['https://api.example.com/v1/\uff0e\uff0e/admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/\u2025/admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/%25e2%2580%25a5/admin', ['api.example.com/v1']],
    ['https://api.example.com/v1/..\uff0fadmin', ['api.example.com/v1']],
    ['https://api.example.com/', []],
  ])('do not include %s', (url, hosts) => {
    expect(isWithinHosts(new URL(url), hosts)).toBe(false);
  });

  it.each([
    ['API.Example.com', 'api.example.com'],
    ['api.example.com:443/', 'api.example.com'],
    ['api.example.com:8443/v1/', 'api.example.com:8443/v1'],
    ['127.0.0.1:8080', '127.0.0.1:8080'],
    ['[::1]:8080/x', '[::1]:8080/x'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['api.example.com/v0/../v1', 'api.example.com/v1'],
  ])('are stored in one form: %s', (given, stored) => {
    expect(normalHost(given)).toBe(stored);
  });

  it.each([
    '',
    '*.example.com',
    'https://api.example.com',
    'user@api.example.com',
    'api.example.com?x',
    'api.example.com/%76',
    'api.example.com/a\\b',
    'api.example.com/a b',
    'api.example.com/é',
    'api.example.com/a//b',
    'a b',
  ])('refuse %j', (given) => {
    expect(normalHost(given)).toBeUndefined();
  });
});
