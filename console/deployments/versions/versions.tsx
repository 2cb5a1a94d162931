import { Comparison } from '../comparison.tsx';
import { Graphs } from '../graphs.tsx';
import type { DeploymentTabProps } from '../tab_props.ts';
import { Tags } from './tags.tsx';

/** The tags of the flow, the frozen graphs, and the differences from other deployments of the flow. */
const Versions = ({ deployment }: DeploymentTabProps) => (
  <>
    <Tags deployment={deployment} />
    <Comparison deployment={deployment} />
    <Graphs deployment={deployment} />
  </>
);
export default Versions;
