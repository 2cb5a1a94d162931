import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeFlowApp } from './app.ts';

export default makeFlowApp(edgePlatform());
