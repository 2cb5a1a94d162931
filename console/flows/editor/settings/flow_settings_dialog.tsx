import { Button, Group, JsonInput, Modal, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { CLUSTERS, type FlowSettings, saveFlow, settingsOf } from '../../flow_rows.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { flowLimits } from '../../../../types/limits/flows.ts';

/** The settings of a flow besides its graph. */
export function FlowSettingsDialog({ onClose }: { onClose: () => void }) {
  const { flow, store } = useEditor();
  const { settings: stored, version } = useEditorState();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const [settings, setSettings] = useState(() => settingsOf(stored));
  const [environment, setEnvironment] = useState(() => JSON.stringify(stored.environment, undefined, 2));
  const change = (changes: Partial<FlowSettings>) => setSettings((old) => ({ ...old, ...changes }));
  const saving = useMutation({
    mutationFn: async () => {
      const columns: FlowSettings = { ...settings, environment: JSON.parse(environment) };
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
          <Select
            label='Network'
            data={Object.keys(CLUSTERS)}
            allowDeselect={false}
            value={settings.chain_network.cluster}
            onChange={(cluster) =>
              cluster !== null &&
              change({ chain_network: { ...settings.chain_network, cluster, url: CLUSTERS[cluster]! } })}
          />
          <TextInput
            label="Address of the network's RPC"
            type='url'
            value={settings.chain_network.url}
            onChange={(event) =>
              change({ chain_network: { ...settings.chain_network, url: event.currentTarget.value } })}
          />
          <Select
            label='Transactions'
            data={[{ value: 'Off', label: 'One for each node' }, {
              value: 'Automatic',
              label: 'Shared where nodes allow it',
            }]}
            allowDeselect={false}
            value={settings.instructions_bundling}
            onChange={(value) => value !== null && change({ instructions_bundling: value })}
          />
          <JsonInput
            label='Environment'
            description='Texts by name: settings of transactions, and texts that scripts read as ENV'
            autosize
            minRows={2}
            maxRows={12}
            validationError='This must be a JSON object of texts.'
            value={environment}
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
