import { expect, it } from 'vitest';
import { readConfig } from './config.ts';

const project: Record<string, string> = {
  SUPABASE_URL: 'https://project.example/',
  SUPABASE_ANON_KEY: 'public',
  SUPABASE_SERVICE_ROLE_KEY: 'secret',
};

it.each([
  { given: undefined, restUrl: 'https://project.example/rest/v1' },
  { given: '', restUrl: 'https://project.example/rest/v1' },
  { given: 'http://rest.internal:3000/', restUrl: 'http://rest.internal:3000' },
])('the address of PostgREST is REST_URL ($given), or else below the project address', ({ given, restUrl }) => {
  expect(readConfig((name) => name === 'REST_URL' ? given : project[name]).restUrl).toBe(restUrl);
});
