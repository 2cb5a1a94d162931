import type { DescribedDeployment } from '../../types/deployment_description.ts';
import type { PublicAddress } from '../../platform/public_address.ts';

const LAMPORTS_PER_SOL = 1_000_000_000n;

/** Formats lamports as SOL, without trailing zeros. */
export function solText(lamports: bigint): string {
  let fraction = String(lamports % LAMPORTS_PER_SOL).padStart(9, '0');
  while (fraction.endsWith('0')) fraction = fraction.slice(0, -1);
  return `${lamports / LAMPORTS_PER_SOL}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Describes the fees of a deployment in a sentence; undefined if there are no fees. */
function feesText(fees: DescribedDeployment['fees']): string | undefined {
  const total = fees.reduce((sum, [, amount]) => sum + BigInt(amount), 0n);
  if (total === 0n) return undefined;
  const recipients = new Set(fees.filter(([, amount]) => BigInt(amount) > 0n).map(([recipient]) => recipient));
  const [first] = recipients;
  const to = recipients.size === 1 ? String(first) : `${recipients.size} recipients`;
  return `On top of it you pay a fee of ${solText(total)} SOL to ${to}.`;
}

/** Returns the icon, title and description that all answers of an action share. */
export function describeAction(
  { name, description, icon_url, fees }: DescribedDeployment,
  address: PublicAddress,
): { icon: string; title: string; description: string } {
  const about = description.trim() || 'Makes a transaction for your wallet to sign.';
  return {
    ...titleAndIcon({ name, icon_url }, address),
    description: [about, feesText(fees)].filter((text) => text !== undefined).join('\n\n'),
  };
}

/**
 * Returns the title and icon of a deployment. If the deployment has none or is deleted, the default title or icon takes
 * its place.
 */
export const titleAndIcon = (
  { name, icon_url }: { name: string | null; icon_url: string | null },
  { url }: PublicAddress,
): { icon: string; title: string } => ({ icon: icon_url ?? `${url}/icon.svg`, title: name?.trim() || 'Solana action' });
