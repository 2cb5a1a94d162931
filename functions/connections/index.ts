import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeConnectionsApp } from './app.ts';

export default makeConnectionsApp(edgePlatform());
