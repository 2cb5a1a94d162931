/** The page of a transaction at the explorer of the Solana Foundation, on the network that it was sent to. */
export function explorerLink(signature: string, cluster: string): string {
  const link = new URL(`https://explorer.solana.com/tx/${encodeURIComponent(signature)}`);
  if (cluster !== 'mainnet-beta') link.searchParams.set('cluster', cluster);
  return link.href;
}
