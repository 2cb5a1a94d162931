import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectDir } from '../../supabase/local/paths.ts';

it('every path that the documents name exists', () => {
  for (const document of ['README.md', 'docs/decisions.md']) {
    const text = readFileSync(join(projectDir, document), 'utf8');
    const paths = [...text.matchAll(/(?:`|\]\()((?:sql|supabase|functions|types|tests|docs)\/[\w./-]*)(?:`|\))/g)].map((
      match,
    ) => match[1]!);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(existsSync(join(projectDir, path)), `${document} names ${path}`).toBe(true);
  }
});
