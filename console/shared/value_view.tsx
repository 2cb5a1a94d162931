import { Code, Text } from '@mantine/core';
import { isObject } from './graph/drawn_node.ts';

/** The most members of a list or a map that are shown at once. */
const MEMBERS_SHOWN = 100;
/** The most characters of a text that are shown. */
const CHARACTERS_SHOWN = 4_000;

const TAG_NAMES: Record<string, string> = {
  U: 'whole number',
  I: 'whole number',
  U1: 'whole number',
  I1: 'whole number',
  F: 'float',
  D: 'decimal',
  B3: '32 bytes',
  B6: '64 bytes',
  BY: 'bytes in base64',
  S: 'text',
  B: 'true or false',
};

const shorten = (text: string): string =>
  text.length > CHARACTERS_SHOWN ? `${text.slice(0, CHARACTERS_SHOWN)}… (${text.length} characters)` : text;

/** Returns the tag and the content of a tagged value; undefined for anything else. */
function untag(value: unknown): [tag: string, content: unknown] | undefined {
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.length === 1 ? entries[0] : undefined;
}

function Members({ entries, depth }: { entries: [string, unknown][]; depth: number }) {
  return (
    <>
      <dl className='console-members'>
        {entries.slice(0, MEMBERS_SHOWN).map(([name, member]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <ValueView value={member} depth={depth + 1} />
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > MEMBERS_SHOWN && <Text size='sm' c='dimmed'>… and {entries.length - MEMBERS_SHOWN} more</Text>}
    </>
  );
}

/** Shows a list or a map. Members below the second level are shown when the user opens them. */
function Group({ entries, depth, kind }: { entries: [string, unknown][]; depth: number; kind: string }) {
  if (entries.length === 0) return <Text span size='sm' c='dimmed'>empty {kind}</Text>;
  if (depth < 2) return <Members entries={entries} depth={depth} />;
  return (
    <details>
      <summary>{kind} of {entries.length}</summary>
      <Members entries={entries} depth={depth} />
    </details>
  );
}

/**
 * Shows a stored tagged value in readable form. All content is shown as text, because strangers may have written it.
 */
export function ValueView({ value, depth = 0 }: { value: unknown; depth?: number }) {
  const [tag, content] = untag(value) ?? [undefined, value];
  if (tag === 'N') return <Text span c='dimmed'>null</Text>;
  if (tag === 'M' && isObject(content)) return <Group entries={Object.entries(content)} depth={depth} kind='map' />;
  if (tag === 'A' && Array.isArray(content)) {
    return <Group entries={content.map((member, index) => [String(index), member])} depth={depth} kind='list' />;
  }
  if (tag === 'S' && typeof content === 'string') {
    return content === ''
      ? <Text span c='dimmed'>empty text</Text>
      : <span className='console-text'>{shorten(content)}</span>;
  }
  if (tag !== undefined && tag in TAG_NAMES && typeof content !== 'object') {
    return <Code title={TAG_NAMES[tag]}>{shorten(String(content))}</Code>;
  }
  return <Code block>{shorten(JSON.stringify(value, undefined, 2) ?? 'nothing')}</Code>;
}
