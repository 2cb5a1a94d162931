/** The names of Solana's clusters that are the same everywhere, by ours. Source: CAIP-2, namespace `solana`. */
const BLOCKCHAIN_IDS: Readonly<Record<string, string>> = {
  'mainnet-beta': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  testnet: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
};

/** The header that says on which chain an action is. A chain of one's own is what the deployment's `cluster` says. */
export const blockchainHeader = (cluster: string): Record<string, string> => {
  const id = BLOCKCHAIN_IDS[cluster];
  return id === undefined ? {} : { 'x-blockchain-ids': id };
};

/** All chains on which there may be actions. */
export const allBlockchainIds: string = Object.values(BLOCKCHAIN_IDS).join(',');
