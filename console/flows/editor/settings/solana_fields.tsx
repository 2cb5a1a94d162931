import { Select, TextInput } from '@mantine/core';
import { CLUSTERS, type FlowSettings } from '../../flow_rows.ts';

interface SolanaFieldsProps {
  settings: Pick<FlowSettings, 'chain_network' | 'instructions_bundling'>;
  change: (changes: Partial<FlowSettings>) => void;
}

/** The settings for the transactions of a flow. */
export const SolanaFields = ({ settings, change }: SolanaFieldsProps) => (
  <>
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
      onChange={(event) => change({ chain_network: { ...settings.chain_network, url: event.currentTarget.value } })}
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
  </>
);
