import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeDeploymentApp } from './app.ts';

export default makeDeploymentApp(edgePlatform());
