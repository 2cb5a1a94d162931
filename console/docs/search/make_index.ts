import { anchorOf } from '../../shared/markdown/heading_ids.ts';

/** A section of a page: a heading, and the words below it. */
export interface DocsSection {
  /** The path of the page, such as `guides/connections`. */
  path: string;
  page: string;
  /** The id of the heading; empty for the beginning of the page. */
  anchor: string;
  heading: string;
  /** The words of the section in lower case, each once, separated by spaces. */
  words: string;
}

const HEADING = /^#{1,4} (.+)$/;
const WORD = /[\p{L}\p{N}_]{2,40}/gu;

const wordsOf = (lines: readonly string[]): string =>
  [
    ...new Set(lines.join('\n').toLowerCase().match(WORD) ?? []),
  ].join(' ');

/** Splits a page of Markdown into its sections. Lines of code are words, but never headings. */
export function sectionsOf(path: string, text: string): DocsSection[] {
  const sections: { title: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const title = isCode ? undefined : HEADING.exec(line)?.[1];
    if (title !== undefined) sections.push({ title: title.replaceAll('`', ''), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  const page = sections[0]?.title ?? path;
  const seen = new Map<string, number>();
  return sections.map(({ title, lines }, place) => {
    const anchor = anchorOf(title);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return {
      path,
      page,
      anchor: place === 0 ? '' : count === 0 ? anchor : `${anchor}-${count}`,
      heading: title,
      words: wordsOf([title, ...lines]),
    };
  });
}
