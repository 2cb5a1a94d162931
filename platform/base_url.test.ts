import { expect, it } from 'vitest';
import { withoutTrailingSlashes } from './base_url.ts';

it.each([
  ['https://project.example', 'https://project.example'],
  ['https://project.example/', 'https://project.example'],
  ['http://127.0.0.1:54321/base///', 'http://127.0.0.1:54321/base'],
  ['///', ''],
  ['', ''],
])('the address %j is used as %j', (url, base) => expect(withoutTrailingSlashes(url)).toBe(base));
