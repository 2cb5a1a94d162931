import { expectTypeOf, it } from 'vitest';
import type { DescribedDeployment as Described } from '../types/deployment_description.ts';
import type { DeploymentDescription } from './flow_client.ts';

// The package declares this type itself, because with zod's type every user of the package would have to install zod.
it('the description of a deployment has the type of the answer, with all digits of the fees', () => {
  expectTypeOf<Omit<DeploymentDescription, 'fees'>>().toEqualTypeOf<Omit<Described, 'fees'>>();
  expectTypeOf<DeploymentDescription['fees']>().toEqualTypeOf<[address: string, lamports: bigint][]>();
});
