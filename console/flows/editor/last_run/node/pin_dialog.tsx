import { Button, Group, JsonInput, Modal, Stack, Text } from '@mantine/core';
import type { ValueMap } from 'flow-deployments-client';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../../../../shared/errors/error_alert.tsx';
import { plainText, tagMapLike } from '../../../../shared/plain_json.ts';
import { readTyped } from '../store/edited_values.ts';
import type { usePinning } from '../store/pins.ts';

interface PinDialogProps {
  title: string;
  /** The outputs that the editor shows at first. */
  former: ValueMap;
  pinning: ReturnType<typeof usePinning>;
  onClose: () => void;
}

/** Edits the pinned outputs of a node as JSON. */
export function PinDialog({ title, former, pinning, onClose }: PinDialogProps) {
  const [text, setText] = useState(() => plainText({ M: former }));
  const typed = readTyped(text);
  const fault = 'fault' in typed ? typed.fault : undefined;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if ('values' in typed) pinning.mutate(tagMapLike(typed.values, former), { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title={`Pinned outputs of ${title}`} size='lg'>
      <form onSubmit={save}>
        <Stack>
          <Text size='sm'>
            A run of the flow as it is drawn uses these outputs instead of executing the node. Deployments ignore them.
          </Text>
          <JsonInput
            label='Outputs by name, as JSON'
            value={text}
            onChange={setText}
            autosize
            minRows={4}
            maxRows={20}
            error={fault}
            spellCheck={false}
            data-autofocus
          />
          <ErrorAlert error={pinning.error} />
          <Group justify='flex-end'>
            <Button variant='default' onClick={onClose}>Cancel</Button>
            <Button type='submit' loading={pinning.isPending} disabled={fault !== undefined}>Pin</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
