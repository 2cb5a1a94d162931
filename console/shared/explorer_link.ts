/** Makes the link to a transaction in the explorer of the Solana Foundation, on the transaction's network. */
export function explorerLink(signature: string, cluster: string): string {
  const link = new URL(`https://explorer.solana.com/tx/${encodeURIComponent(signature)}`);
  if (cluster !== 'mainnet-beta') link.searchParams.set('cluster', cluster);
  return link.href;
}
