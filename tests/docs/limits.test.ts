import { describe, expect, it } from 'vitest';
import { limitsText } from '../../dev/database/limits.ts';
import { generatedDocs } from '../../dev/docs/docs.ts';
import { sourcesOf } from '../../dev/docs/reference/page.ts';
import { limits } from '../../types/limits.ts';
import type { Limit } from '../../types/limits/limit.ts';
import { quotas } from '../../types/limits/quotas.ts';

const LIMIT = /private\.limit_(\w+)\(\)/g;
const entries = Object.entries<Limit>(limits);

describe('types/limits/', () => {
  it('lets SQL have the limits that sql/ uses, and no others', () => {
    const used = sourcesOf('sql', '.sql').filter((text) => text !== limitsText())
      .flatMap((text) => [...text.matchAll(LIMIT)].map(([, name]) => name!));
    const inSql = entries.filter(([, { inSql }]) => inSql).map(([name]) => name);
    expect([...new Set(used)].toSorted()).toEqual(inSql.toSorted());
  });

  it('has positive integers', () => {
    const all = [...entries, ...Object.entries<Limit>(quotas)];
    expect(all.filter(([, { value }]) => !Number.isSafeInteger(value) || value <= 0)).toEqual([]);
  });

  it('is the table of docs/reference/limits.md, a row for each limit', () => {
    const page = generatedDocs().find(({ file }) => file.endsWith('/limits.md'))!.text;
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    const without = entries.filter(([, { meaning, beyond }]) =>
      !rows.some((row) => row.includes(meaning) && row.includes(beyond))
    );
    expect(without).toEqual([]);
  });
});
