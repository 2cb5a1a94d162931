import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DefinitionToStore } from 'flow-deployments-client';
import type { Described } from 'flow-deployments-client/describing';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { implementationLine } from '../../../types/described/implementation_line.ts';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { FoldedLines } from '../../shared/errors/folded_lines.tsx';
import { Section } from '../../shared/page/section.tsx';
import { NodeChoice } from './node_choice.tsx';

/** The number of nodes that are shown at first, and that each click on the button adds. */
const SHOWN = 50;
/** The most refused operations that are listed. */
const SHOWN_REFUSED = 500;
/** The most characters of a prefix. A `node_id` has a limit, too. */
const MAX_PREFIX = 50;

/** Finds definitions by words in their names, texts and tags. */
function search(definitions: DefinitionToStore[], text: string): DefinitionToStore[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const hasAll = ({ type, data }: DefinitionToStore) => {
    const line = implementationLine(type, data.implementation);
    const all = [data.node_id, data.display_name, data.description, line].join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return words.length === 0 ? definitions : definitions.filter(hasAll);
}

const withId = (definition: DefinitionToStore, prefix: string): DefinitionToStore => ({
  ...definition,
  data: { ...definition.data, node_id: `${prefix}${definition.data.node_id}` },
});

/** The nodes that a document gives, to search, to choose and to store. */
export function DescribedNodes({ described: { definitions, refused } }: { described: Described }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [, goTo] = useLocation();
  const [text, setText] = useState('');
  const [shown, setShown] = useState(SHOWN);
  const [prefix, setPrefix] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [effects, setEffects] = useState<Readonly<Record<string, string>>>({});
  const found = search(definitions, text);
  const withEffects = (definition: DefinitionToStore): DefinitionToStore => {
    const { data } = definition;
    return { ...definition, data: { ...data, effects: effects[data.node_id] ?? data.effects } };
  };
  const choose = (ids: string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (isChosen) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  const add = useMutation({
    mutationFn: async () => {
      const all = definitions.filter(({ data }) => chosen.has(data.node_id));
      await flows.storeDefinitions(all.map((definition) => withId(withEffects(definition), prefix)));
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['nodes'] });
      goTo('/nodes?of=own');
    },
  });
  const ids = found.map(({ data }) => data.node_id);
  const areAllChosen = ids.length > 0 && ids.every((id) => chosen.has(id));
  return (
    <Section title={definitions.length === 1 ? '1 node' : `${definitions.length} nodes`}>
      <Group align='flex-end'>
        <TextInput
          type='search'
          label='Find a node'
          description='By name, path, program or text'
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          flex='1 1 16rem'
        />
        <Button variant='default' disabled={ids.length === 0} onClick={() => choose(ids, !areAllChosen)}>
          {areAllChosen ? 'Choose none of these' : `Choose all ${ids.length}`}
        </Button>
      </Group>
      {found.length === 0 && <Text c='dimmed'>Nothing was found.</Text>}
      <Stack component='ul' aria-label='nodes' gap='lg' className='console-plain-list'>
        {found.slice(0, shown).map((definition) => (
          <NodeChoice
            key={definition.data.node_id}
            definition={withEffects(definition)}
            isChosen={chosen.has(definition.data.node_id)}
            onChoose={(isChosen) => choose([definition.data.node_id], isChosen)}
            onEffects={(next) => setEffects({ ...effects, [definition.data.node_id]: next })}
          />
        ))}
      </Stack>
      {found.length > shown && (
        <Group>
          <Button variant='default' onClick={() => setShown(shown + SHOWN)}>
            Show more ({found.length - shown} are hidden)
          </Button>
        </Group>
      )}
      <FoldedLines
        title={`Parts that can’t be nodes: ${refused.length}`}
        lines={refused.slice(0, SHOWN_REFUSED).map(({ place, reason }) => `${place}: ${reason}`)}
      />
      <ErrorAlert error={add.error} />
      <Group align='flex-end'>
        <TextInput
          label='Prefix'
          description='Written before each name, for example shop_'
          maxLength={MAX_PREFIX}
          value={prefix}
          onChange={(event) => setPrefix(event.currentTarget.value)}
        />
        <Button disabled={chosen.size === 0} loading={add.isPending} onClick={() => add.mutate()}>
          {chosen.size === 1 ? 'Add 1 node' : `Add ${chosen.size} nodes`}
        </Button>
      </Group>
    </Section>
  );
}
