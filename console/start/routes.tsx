import { Route, Switch } from 'wouter';
import { StartPage } from './start_page.tsx';

const FLOW_ID = /^[1-9]\d{0,9}$/;
/** An id that no flow has, so that a wrong address is answered like a missing deployment. */
const NO_FLOW = 0;

export default function StartRoutes() {
  return (
    <Switch>
      <Route path='/start/f/:flow/:tag'>
        {({ flow, tag }) => (
          <StartPage key={`${flow}/${tag}`} target={{ flow: FLOW_ID.test(flow) ? Number(flow) : NO_FLOW, tag }} />
        )}
      </Route>
      <Route path='/start/:id'>{({ id }) => <StartPage key={id} target={{ id }} />}</Route>
      <Route>
        <StartPage target={{ flow: NO_FLOW }} />
      </Route>
    </Switch>
  );
}
