import { edgePlatform } from '../_shared/platform.ts';
import { makeConnectionsApp } from './app.ts';

export default makeConnectionsApp(edgePlatform());
