import { NumberInput, Stack, Switch, Title } from '@mantine/core';
import { flowLimits } from '../../../../types/limits/flows.ts';
import { isObject, objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { withErrorOutput } from '../definition.ts';

/** The settings of a node for its timeout, and for failures that the flow handles. */
export function NodeFailure({ json }: { json: PlainObject }) {
  const { store, isOwner } = useEditor();
  const id = nodeIdOf(json);
  const { on_error: onError, timeout_ms: timeoutMs } = objectAt(json, 'data');
  const change = (next: (node: PlainObject) => PlainObject, what: string) =>
    store.change((document) => changeNode(document, id, (node) => isObject(node) ? next(node) : node), `${what} ${id}`);
  return (
    <Stack gap='xs'>
      <Title order={3} size='h5'>Failure</Title>
      <NumberInput
        data-setting='timeout_ms'
        label='Timeout'
        description='Milliseconds after which an attempt fails'
        min={1}
        max={flowLimits.timeout_ms.value}
        allowDecimal={false}
        clampBehavior='blur'
        disabled={!isOwner}
        placeholder='none'
        value={typeof timeoutMs === 'number' ? timeoutMs : ''}
        onChange={(value) =>
          change((node) => {
            const { timeout_ms: _, ...data } = objectAt(node, 'data');
            return { ...node, data: typeof value === 'number' ? { ...data, timeout_ms: value } : data };
          }, 'timeout')}
      />
      <Switch
        data-setting='on_error'
        label='Hand failures on'
        description='The output error gets a failure, and the run does not fail for it.'
        checked={onError === 'output'}
        disabled={!isOwner}
        onChange={(event) => {
          const { checked } = event.currentTarget;
          change((node) => withErrorOutput(node, checked), 'on_error');
        }}
      />
    </Stack>
  );
}
