import { edgePlatform } from '../_shared/platform.ts';
import { makeDeploymentApp } from './app.ts';

export default makeDeploymentApp(edgePlatform());
