import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { useDeferredValue, useState } from 'react';
import { Link } from 'wouter';
import { docsHref } from '../../shared/docs_href.ts';
import { findSections } from './find_sections.ts';
import type { DocsSection } from './make_index.ts';

const MAX_LENGTH = 100;

const Found = ({ sections }: { sections: readonly DocsSection[] }) => (
  <Stack component='ul' gap={6} className='console-plain-list' aria-label='Found sections'>
    {sections.map(({ path, page, anchor, heading }) => (
      <li key={`${path}#${anchor}`}>
        <Anchor component={Link} size='sm' href={docsHref(path, anchor === '' ? undefined : anchor)}>{heading}</Anchor>
        {heading !== page && <Text span size='xs' c='dimmed'>, {page}</Text>}
      </li>
    ))}
  </Stack>
);

/** A search of the documentation. The index is loaded when somebody goes to the field. */
export function DocsSearch() {
  const [index, setIndex] = useState<DocsSection[]>();
  const [text, setText] = useState('');
  const query = useDeferredValue(text);
  const sections = index === undefined ? [] : findSections(index, query);
  // SAFETY: console/vite.config.ts makes the list from this type.
  const load = async () => setIndex((await import('virtual:docs-index')).default as DocsSection[]);
  return (
    <Stack gap='xs' component='search' mb='md'>
      <TextInput
        type='search'
        label='Search the documentation'
        maxLength={MAX_LENGTH}
        value={text}
        onFocus={() => void load()}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Text role='status' size='xs' c='dimmed'>
        {query.trim() !== '' && index !== undefined &&
          (sections.length === 0 ? 'Nothing found.' : `${sections.length} found`)}
      </Text>
      {sections.length > 0 && <Found sections={sections} />}
    </Stack>
  );
}
