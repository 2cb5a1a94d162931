import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { projectDir } from '../../stack/paths.ts';
import { StackError } from '../../stack/stack_error.ts';

/** A member of an interface, as it is in the source. */
export interface DeclaredMember {
  name: string;
  /** The declaration without its comment. */
  source: string;
  /** The text after the name, which is the type of a property. */
  type: string;
  isOptional: boolean;
  /** The comment as one text. */
  doc: string;
}

/** An exported interface or type. */
export interface Declared {
  name: string;
  doc: string;
  /** The members of an interface; empty for a type. */
  members: DeclaredMember[];
  source: string;
}

/** Returns the text of a comment, without stars and line feeds. */
const commentText = (value: string): string =>
  value.split('\n').map((line) => line.trim().replace(/^\*+/, '')).join(' ').replaceAll(/\s+/g, ' ').trim();

/** Lists the exported interfaces and types of a file, in their order. */
export function declarationsOf(file: string): Declared[] {
  const text = readFileSync(join(projectDir, file), 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new StackError(`${file} can't be read: ${errors[0]!.message}`);
  const docOf = (start: number): string => {
    const comment = comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '');
    return comment?.value.startsWith('*') ? commentText(comment.value) : '';
  };
  return program.body.flatMap((statement): Declared[] => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const { declaration } = statement;
    const source = text.slice(statement.start, statement.end);
    if (declaration?.type === 'TSTypeAliasDeclaration') {
      return [{ name: declaration.id.name, doc: docOf(statement.start), members: [], source }];
    }
    if (declaration?.type !== 'TSInterfaceDeclaration') return [];
    const members = declaration.body.body.flatMap((member): DeclaredMember[] => {
      if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') return [];
      // Computed names are for the compiler only.
      if (member.computed || member.key.type !== 'Identifier') return [];
      const declared = text.slice(member.start, member.end).replace(/;$/, '');
      const type = member.type === 'TSPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined;
      return [{
        name: member.key.name,
        source: declared,
        type: type === undefined ? declared : text.slice(type.start, type.end).replace(/ \| undefined$/, ''),
        isOptional: member.optional,
        doc: docOf(member.start),
      }];
    });
    return [{ name: declaration.id.name, doc: docOf(statement.start), members, source }];
  });
}
