import { Code } from '@mantine/core';

/** The most characters of a line that are shown. */
const CHARACTERS_SHOWN = 2_000;

/** Shows technical lines behind a closed heading. Shows nothing without lines. */
export function FoldedLines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details className='console-folded'>
      <summary>{title}</summary>
      {lines.map((line, index) => <Code key={index} block mt={4}>{line.slice(0, CHARACTERS_SHOWN)}</Code>)}
    </details>
  );
}
