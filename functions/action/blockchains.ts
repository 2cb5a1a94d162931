/** The CAIP-2 names of Solana's public clusters, by our names. Source: CAIP-2, namespace `solana`. */
const BLOCKCHAIN_IDS: Readonly<Record<string, string>> = {
  'mainnet-beta': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  testnet: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
};

/**
 * Makes the header with the CAIP-2 name of the action's chain. A private chain has no such name, so it gets no header.
 */
export const blockchainHeader = (cluster: string): Record<string, string> => {
  const id = BLOCKCHAIN_IDS[cluster];
  return id === undefined ? {} : { 'x-blockchain-ids': id };
};

/** All chains that actions can name. */
export const allBlockchainIds: string = Object.values(BLOCKCHAIN_IDS).join(',');
