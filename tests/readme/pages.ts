import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';

/** The pages whose code blocks the tests run. */
export const pages: string[] = [
  'README.md',
  ...readdirSync(join(projectDir, 'docs/guides')).filter((name) => name.endsWith('.md')).toSorted()
    .map((name) => `docs/guides/${name}`),
];

/** A fenced code block of a page. */
export interface Block {
  page: string;
  /** The line of its opening fence, from 1. */
  line: number;
  /** The text after the opening fence. If it is `output`, the block holds the output of the block before it. */
  language: string;
  /**
   * The file that the block belongs to. The comment `<!-- file: name -->` above this block names the file. If there is
   * none, the nearest such comment above an earlier block names it.
   */
  file: string | undefined;
  /**
   * True if the comment is directly above this block, so that the block begins the file. Otherwise the block continues
   * the file.
   */
  beginsFile: boolean;
  text: string;
}

/** Reads the code blocks of a page, in order. */
export function readBlocks(page: string): Block[] {
  const text = readFileSync(join(projectDir, page), 'utf8');
  const blocks: Block[] = [];
  let current: string | undefined;
  for (const match of text.matchAll(/^(?:<!-- file: (\S+) -->\n+)?```(\w+)\n([^]*?)^```$/gm)) {
    const [whole, named, language, body] = match;
    current = named ?? current;
    const line = text.slice(0, match.index + whole.indexOf('```')).split('\n').length;
    const isFile = named !== undefined || language === 'ts';
    blocks.push({
      page,
      line,
      language: language!,
      file: isFile ? current : undefined,
      beginsFile: named !== undefined,
      text: body!,
    });
  }
  return blocks;
}

/** Tests whether a text equals an `output` block, in which `…` matches anything. */
export function isOutput(shown: string, printed: string): boolean {
  const parts = shown.trim().split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}$`).test(printed.trim());
}
