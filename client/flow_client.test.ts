import { expectTypeOf, it } from 'vitest';
import type { DescribedDeployment as Described } from '../types/deployment_description.ts';
import type { DeploymentDescription } from './flow_client.ts';

// The types of zod would make every user of the package install it.
it('the description of a deployment has the type that the backend answers with, and fees with all their digits', () => {
  expectTypeOf<Omit<DeploymentDescription, 'fees'>>().toEqualTypeOf<Omit<Described, 'fees'>>();
  expectTypeOf<DeploymentDescription['fees']>().toEqualTypeOf<[address: string, lamports: bigint][]>();
});
