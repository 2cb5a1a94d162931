import { Anchor, Select } from '@mantine/core';
import { Link } from 'wouter';
import { docsHref } from '../../../shared/docs_href.ts';
import type { DrawnInput, PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { describeWithoutWord, withWhenAbsent } from './when_absent.ts';

const WORDS: { value: NonNullable<DrawnInput['whenAbsent']>; label: string }[] = [
  { value: 'run_unless_failed', label: 'Run, but not after a failure' },
  { value: 'run', label: 'Run in any case' },
];

interface WhenAbsentChoiceProps {
  json: PlainObject;
  input: DrawnInput;
  /** True if no other input of the node has an edge. */
  isOnly: boolean;
}

/** Chooses what a node does if the edge into one of its inputs gives no value. */
export function WhenAbsentChoice({ json, input, isOnly }: WhenAbsentChoiceProps) {
  const { store, isOwner } = useEditor();
  const { whenAbsent, isRequired } = input;
  const isFixed = isRequired && whenAbsent === undefined;
  return (
    <Select
      size='xs'
      label={`Without a value of ${input.name || 'the input'}`}
      description={
        <>
          {isFixed && 'The input is required. '}
          {whenAbsent !== undefined && 'The edge is dashed. '}
          <Anchor
            component={Link}
            href={docsHref('guides/flow_by_hand', 'when-a-node-runs')}
            target='_blank'
            size='xs'
            underline='always'
          >
            When a node runs
          </Anchor>
        </>
      }
      data={[{ value: '', label: describeWithoutWord(json, input, isOnly) }, ...WORDS]}
      value={whenAbsent ?? ''}
      allowDeselect={false}
      disabled={!isOwner || isFixed}
      onChange={(value) => {
        const word = WORDS.find((one) => one.value === value)?.value;
        // The list also reports a click on the chosen option, which changes nothing.
        if (word === whenAbsent) return;
        store.change((document) =>
          changeNode(document, nodeIdOf(json), (node) => withWhenAbsent(node, input.id, word))
        );
      }}
    />
  );
}
