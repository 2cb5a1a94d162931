import { createRequire } from 'node:module';
import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { clientDir } from './paths.ts';
import { entryPoints } from './manifest.ts';

/** What dts-bundle-generator knows of the types that use a type. */
interface UsageEvaluator {
  getSymbolsUsingSymbol: (symbol: object) => Set<object> | null;
  isSymbolUsedBySymbol: (symbol: object, by: object) => boolean;
}

/**
 * Has it look up once what uses a type, directly or not. By itself it searches anew for each pair of a type and an
 * export: 31 of the 36 seconds that it took.
 */
function rememberUsers(): void {
  // SAFETY: package.json names one version of it, and tests/client/package.test.ts compiles programs with what it made.
  const { TypesUsageEvaluator } = createRequire(import.meta.url)(
    'dts-bundle-generator/dist/types-usage-evaluator.js',
  ) as { TypesUsageEvaluator: { prototype: UsageEvaluator & { getActualSymbol: (symbol: object) => object } } };
  const known = new WeakMap<UsageEvaluator, Map<object, Set<object>>>();
  TypesUsageEvaluator.prototype.isSymbolUsedBySymbol = function (symbol, by) {
    const usersOf = known.get(this) ?? new Map<object, Set<object>>();
    known.set(this, usersOf);
    const from = this.getActualSymbol(symbol);
    let users = usersOf.get(from);
    if (users === undefined) {
      users = new Set([from]);
      // A set is walked to its end, what is added meanwhile too.
      for (const user of users) this.getSymbolsUsingSymbol(user)?.forEach((next) => users!.add(next));
      usersOf.set(from, users);
    }
    return users.has(this.getActualSymbol(by));
  };
}

/** The declarations of each part, by file name: one file with all the types that it needs, and no imports. */
export function buildDeclarations(): Map<string, string> {
  rememberUsers();
  const bundles = generateDtsBundle(
    entryPoints.map(({ source }) => ({ filePath: join(clientDir, source), output: { noBanner: true } })),
    { preferredConfigPath: join(clientDir, 'build/tsconfig.json') },
  );
  return new Map(entryPoints.map(({ file }, index) => [`${file}.d.ts`, bundles[index]!]));
}
