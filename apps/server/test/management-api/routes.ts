/** One Hub's management routes below /api, by method. `:` stands for one segment, `*` for the rest. */
const routes = {
  GET: `status notice about home_page_content prices ownedby model_ownedby/ model_info/ available_model
    user_group_map verification reset_password user/logout oauth/state oauth/github oauth/lark oauth/wechat
    oauth/wechat/bind oauth/email/bind oauth/endpoint oauth/oidc webauthn/credentials
    user/self user/token user/aff user/payment user/order/status user/dashboard user/dashboard/rate
    user/dashboard/uptimekuma/status-page user/dashboard/uptimekuma/status-page/heartbeat user/invoice
    user/invoice/detail token/playground user/ user/: group/ option/ option/safe_tools option/telegram
    option/telegram/: option/telegram/status channel/ channel/models channel/: channel/test channel/test/:
    channel/update_balance channel/update_balance/: channel_tag/_all channel_tag/: channel_tag/:/list token/ token/:
    token/admin/search log/ log/self log/stat log/self/stat redemption/ redemption/: prices/model_list
    prices/updateService model_ownedby/: model_info/: user_group/ user_group/: payment/ payment/: payment/order
    analytics/statistics analytics/period analytics/multi_user_stats analytics/multi_user_stats/export task/
    task/self mj/ mj/self`,
  POST: `user/reset user/register user/login webauthn/registration/begin webauthn/registration/finish
    webauthn/login/begin webauthn/login/finish user/unbind user/topup user/order user/ user/manage user/quota/:
    option/invoice/gen/: option/invoice/update/: option/system_info/log system_info/log option/telegram
    channel/provider_models_list channel/ sse/channel/check token/ redemption/ prices/single prices/multiple
    prices/sync model_ownedby/ model_info/ user_group/ payment/`,
  PUT: `user/self user/ option/ option/telegram/reload channel/ channel/batch/azure_api channel/batch/del_model
    channel_tag/: channel_tag/:/priority channel_tag/:/status/: token/ token/admin redemption/ prices/single/*
    prices/multiple/delete model_ownedby/ model_info/ user_group/ user_group/enable/: payment/`,
  DELETE: `webauthn/credentials/: user/: option/telegram/: channel/batch channel/disabled channel/: channel/:/tag
    channel_tag/: channel_tag/:/disabled token/: log/ redemption/: prices/single/* model_ownedby/: model_info/:
    user_group/: payment/:`,
} as const;

/** Returns the routes that none of these calls (`GET /channel/7`) belongs to. */
export function routesWithoutCall(calls: readonly string[]): string[] {
  return Object.entries(routes).flatMap(([method, paths]) =>
    paths.split(/\s+/).flatMap((path) => {
      const pattern = path.replaceAll(":", "[^/]+").replace("*", ".+").replace(/\/$/, "/?");
      const route = new RegExp(`^${method} /${pattern}$`);
      return calls.some((call) => route.test(call)) ? [] : [`${method} /api/${path}`];
    }),
  );
}
