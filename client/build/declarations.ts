import { createRequire } from 'node:module';
import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { clientDir } from './paths.ts';
import { entryPoints } from './manifest.ts';

/** The part of dts-bundle-generator that finds the users of a type. */
interface UsageEvaluator {
  getSymbolsUsingSymbol: (symbol: object) => Set<object> | null;
  isSymbolUsedBySymbol: (symbol: object, by: object) => boolean;
}

/**
 * Caches for each type the symbols that use it, directly or through others. Without the cache, dts-bundle-generator
 * searches again for each pair of a type and an export, which takes 31 of 36 seconds.
 */
function rememberUsers(): void {
  // SAFETY: package.json pins the version, and tests/client/package.test.ts compiles programs against the result.
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
      // The loop also visits the elements that it adds to the set.
      for (const user of users) this.getSymbolsUsingSymbol(user)?.forEach((next) => users!.add(next));
      usersOf.set(from, users);
    }
    return users.has(this.getActualSymbol(by));
  };
}

/**
 * Builds one declaration file for each part of the package, with all types of the part and no imports. Returns the
 * texts by the names of their files.
 */
export function buildDeclarations(): Map<string, string> {
  rememberUsers();
  const bundles = generateDtsBundle(
    entryPoints.map(({ source }) => ({ filePath: join(clientDir, source), output: { noBanner: true } })),
    { preferredConfigPath: join(clientDir, 'build/tsconfig.json') },
  );
  return new Map(entryPoints.map(({ file }, index) => [`${file}.d.ts`, bundles[index]!]));
}
