import { edgePlatform } from '../_shared/edge_platform.ts';
import { makeMcpApp } from './app.ts';

export default makeMcpApp(edgePlatform());
