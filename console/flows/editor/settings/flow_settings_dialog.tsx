import { Button, Group, Modal, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { type PairRow, readRows } from '../../../shared/form/pair_rows.ts';
import { PairRowsEditor } from '../../../shared/form/pair_rows_editor.tsx';
import { type FlowSettings, saveFlow, settingsOf } from '../../flow_rows.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { flowLimits } from '../../../../types/limits/flows.ts';
import { SolanaFields } from './solana_fields.tsx';
import { useHasSolana } from './use_has_solana.ts';

/** Converts rows to the environment of a flow. Throws if a text has no name, or if a name is there twice. */
function environmentOf(rows: readonly PairRow[]): FlowSettings['environment'] {
  const used = rows.filter(({ name, value }) => name !== '' || value !== '');
  const names = used.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (names.includes('')) throw new Error('A name is missing in the environment.');
  if (twice !== undefined) throw new Error(`The name ${twice} is there twice in the environment.`);
  return Object.fromEntries(used.map(({ name, value }) => [name, value]));
}

/** The settings of a flow besides its graph. */
export function FlowSettingsDialog({ onClose }: { onClose: () => void }) {
  const { flow, store } = useEditor();
  const { settings: stored, version } = useEditorState();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const [settings, setSettings] = useState(() => settingsOf(stored));
  const [environment, setEnvironment] = useState(() => readRows(stored.environment) ?? []);
  const hasSolana = useHasSolana();
  const change = (changes: Partial<FlowSettings>) => setSettings((old) => ({ ...old, ...changes }));
  const saving = useMutation({
    mutationFn: async () => {
      const columns: FlowSettings = { ...settings, environment: environmentOf(environment) };
      const result = await saveFlow(db, flow.id, version, columns);
      if (result === 'saved by somebody else') {
        throw Object.assign(new Error('Somebody else has saved this flow since you opened it.'), {
          hint: 'Save your drawing first. Then you are asked which changes to keep.',
        });
      }
      store.markSaved({ settings: columns, version: result.updatedAt });
      await queryClient.invalidateQueries({ queryKey: ['flows', 'list'] });
    },
    onSuccess: onClose,
  });
  return (
    <Modal opened onClose={onClose} title='Flow settings' size='lg'>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack>
          <TextInput
            label='Name'
            maxLength={flowLimits.name_characters.value}
            value={settings.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Textarea
            label='Description'
            autosize
            minRows={2}
            maxRows={8}
            value={settings.description}
            onChange={(event) => change({ description: event.currentTarget.value })}
          />
          {hasSolana && <SolanaFields settings={settings} change={change} />}
          <PairRowsEditor
            label='Environment'
            description='Texts that scripts read as ENV, and settings of transactions.'
            rows={environment}
            onChange={setEnvironment}
          />
          <Switch
            label='Public: everybody who has signed in may read the flow'
            description='Others see its name, description, nodes, edges and cluster. All form data of nodes is shown, so keep keys and passwords out of it. Others do not see the environment and the address of the RPC.'
            checked={settings.is_public}
            onChange={(event) => change({ is_public: event.currentTarget.checked })}
          />
          <Switch
            label='New deployments may be started by everybody who has signed up'
            checked={settings.start_shared}
            disabled={!settings.is_public}
            onChange={(event) => change({ start_shared: event.currentTarget.checked })}
          />
          <Switch
            label='New deployments may be started by anybody'
            checked={settings.start_unverified}
            disabled={!settings.is_public || !settings.start_shared}
            onChange={(event) => change({ start_unverified: event.currentTarget.checked })}
          />
          <ErrorAlert error={saving.error} />
          <Group justify='flex-end'>
            <Button variant='default' onClick={onClose}>Cancel</Button>
            <Button type='submit' loading={saving.isPending}>Save settings</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
