import { Button, Stack, Text } from '@mantine/core';
import { readRunError } from '../../../../shared/errors/run_error.ts';
import { useEditor, useEditorState } from '../../editor_context.tsx';
import { focusFirstField } from '../../layout/focus_node.ts';
import { nodesById } from '../../view.ts';
import { Failure } from '../failure.tsx';

/** The most errors of a run that are listed. The page of the run shows all. */
const ERRORS = 5;

/** The errors of the run, each with the button that selects its node. */
export function RunErrorList({ lines }: { lines: readonly string[] }) {
  const { store } = useEditor();
  const nodes = nodesById(useEditorState().document);
  const inputs = new Map([...nodes].map(([id, node]) => [id, new Set(node.inputs.map(({ name }) => name))]));
  return (
    <>
      {lines.slice(0, ERRORS).map((line, index) => {
        const { nodeId, code, message } = readRunError(line, inputs);
        const node = nodes.get(nodeId ?? '');
        return (
          <Stack key={index} gap={4} align='stretch'>
            {node !== undefined && (
              <Button
                size='compact-xs'
                variant='default'
                className='last-run-edit'
                onClick={() => {
                  store.select(new Set([node.id]));
                  focusFirstField(node.id);
                }}
              >
                {node.title}
              </Button>
            )}
            <Failure line={code === undefined ? message : `${code}: ${message}`} inputs={inputs.get(nodeId ?? '')} />
          </Stack>
        );
      })}
      {lines.length > ERRORS && <Text size='sm' c='dimmed'>… and {lines.length - ERRORS} more</Text>}
    </>
  );
}
