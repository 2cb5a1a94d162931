import { parseSync } from 'oxc-parser';
import { StackError } from '../stack/stack_error.ts';
import type { Source } from './imports.ts';

/** An exported type, and the path and line of its declaration. */
interface ExportedType {
  name: string;
  line: string;
}

const TYPE_DECLARATIONS = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
  'ClassDeclaration',
]);

/** Lists the interfaces, type aliases, classes and enums that a file declares and exports. Re-exports do not count. */
export function exportedTypes({ file, text }: Source): ExportedType[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new StackError(`${file} can't be read: ${errors[0]!.message}`);
  const declared = new Map<string, number>();
  const exported = new Set<string>();
  for (const statement of program.body) {
    const isExport = statement.type === 'ExportNamedDeclaration';
    const declaration = isExport ? statement.declaration : statement;
    if (declaration && TYPE_DECLARATIONS.has(declaration.type) && 'id' in declaration) {
      const { id } = declaration;
      if (id?.type !== 'Identifier') continue;
      declared.set(id.name, declaration.start);
      if (isExport) exported.add(id.name);
    }
    if (!isExport || statement.source !== null) continue;
    for (const { local } of statement.specifiers) if (local.type === 'Identifier') exported.add(local.name);
  }
  return [...declared].filter(([name]) => exported.has(name))
    .map(([name, start]) => ({ name, line: `${file}:${text.slice(0, start).split('\n').length}` }));
}

/** Throws a StackError that lists each exported type name with more than one declaration: one name has one meaning. */
export function checkTypeNames(sources: readonly Source[]): void {
  const lines = new Map<string, string[]>();
  for (const { name, line } of sources.flatMap(exportedTypes)) lines.set(name, [...lines.get(name) ?? [], line]);
  const faults = [...lines].filter(([, all]) => all.length > 1)
    .map(([name, all]) =>
      `The exported type ${name} is declared ${all.length} times, in ${all.join(', ')}: rename one.`
    );
  if (faults.length > 0) throw new StackError(faults.join('\n'));
}
