import { Anchor, Switch } from '@mantine/core';
import { Link } from 'wouter';
import { docsHref } from '../../../shared/docs_href.ts';
import type { DrawnInput, PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { mayRunWhenAbsent, withWhenAbsent } from './when_absent.ts';

/**
 * A switch for an input of a node with effects. It decides whether the node runs if the edge into the input gives no
 * value.
 */
export function WhenAbsentSwitch({ json, input }: { json: PlainObject; input: DrawnInput }) {
  const { store, isOwner } = useEditor();
  if (!mayRunWhenAbsent(json, input)) return null;
  const { runsWhenAbsent: runs } = input;
  return (
    <Switch
      size='xs'
      label={`Run without ${input.name || 'the input'}`}
      description={
        <>
          If this edge gives no value, the node {runs ? 'runs anyway. The edge is dashed.' : 'does not run.'}{' '}
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
      checked={runs}
      disabled={!isOwner}
      onChange={(event) => {
        const next = event.currentTarget.checked;
        store.change((document) =>
          changeNode(document, nodeIdOf(json), (node) => withWhenAbsent(node, input.id, next))
        );
      }}
    />
  );
}
