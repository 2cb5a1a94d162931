import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeNodesApp } from './app.ts';

export default makeNodesApp(edgePlatform());
