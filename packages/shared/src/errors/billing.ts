/** Errors of balances, payments, prices and statements. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with one message. */
export const billingMessages = {
  insufficient_quota: phrase("The account balance does not cover this request. Top up and try again."),
  token_quota_exhausted: phrase("The quota of this API key does not cover this request."),
};

/** Codes with a message per reason. */
export const billingReasons = {
  spend_limit_reached: {
    derived_key_spent: phrase(
      "This derived API key may spend {{limit}} ({{label}}). The remaining amount does not cover this request. Derive another key with a higher amount.",
    ),
    daily_spend_limit: phrase(
      "The daily spending limit of this API key is {{limit}}. The remaining amount does not cover this request. The limit resets at {{resets}}.",
    ),
    weekly_spend_limit: phrase(
      "The weekly spending limit of this API key is {{limit}}. The remaining amount does not cover this request. The limit resets at {{resets}}.",
    ),
    monthly_spend_limit: phrase(
      "The monthly spending limit of this API key is {{limit}}. The remaining amount does not cover this request. The limit resets at {{resets}}.",
    ),
  },
  budget_exceeded: {
    daily_budget: phrase(
      "Your daily budget is {{limit}}. The remaining amount does not cover this request. The budget resets at {{resets}}. Contact the administrator if you need more.",
    ),
    weekly_budget: phrase(
      "Your weekly budget is {{limit}}. The remaining amount does not cover this request. The budget resets at {{resets}}. Contact the administrator if you need more.",
    ),
    monthly_budget: phrase(
      "Your monthly budget is {{limit}}. The remaining amount does not cover this request. The budget resets at {{resets}}. Contact the administrator if you need more.",
    ),
    /** The budget that the owner of the account set. */
    own_monthly_budget: phrase(
      "The monthly budget that you set for your account is {{limit}}. The remaining amount does not cover this request. The budget resets at {{resets}}. Raise it under Statements if you need more.",
    ),
  },
  session_budget_exhausted: {
    session_budget_spent: phrase(
      "The budget of this session is {{limit}}. The remaining amount does not cover this request. Start a new session, or raise the budget.",
    ),
  },
  max_price_exceeded: {
    price_above_maximum: phrase(
      'This request can cost up to {{price}}, and "x-max-price" allows {{limit}}. Lower the output limit, or raise the maximum.',
    ),
  },
  quote_not_valid: {
    quote_unknown: phrase("No quote of this API key has this ID. Request a new quote."),
    quote_expired: phrase("This quote has expired. Request a new quote."),
    quote_used: phrase("This quote was already used. A quote is for one call."),
    quote_other_request: phrase(
      "This quote is for another request. Send the same body and headers that were quoted.",
    ),
  },
  price_missing: {
    price_of_model_missing: phrase('The model "{{model}}" has no price yet, so it cannot be used.'),
    price_of_target_missing: phrase(
      'The model "{{model}}" is mapped to {{targets}}, which has no price yet, so it cannot be used.',
    ),
    prices_of_targets_missing: phrase(
      'The model "{{model}}" is mapped to {{targets}}, which have no price yet, so it cannot be used.',
    ),
  },
  upstream_refused: {
    payment_refused: phrase("The payment gateway refused this order."),
  },
  upstream_failed: {
    payment_gateway_unreachable: phrase("The payment gateway cannot be reached. Try again in a moment."),
    usage_impossible: phrase("The provider reported an invalid usage."),
  },
  forbidden: {
    quotes_off: phrase('This gateway has no quotes. Send the request without "x-quote-id".'),
    quotes_off_for_group: phrase(
      'Quotes are off for the group "{{group}}". Send the request without "x-quote-id", or use a key of another group.',
    ),
    payment_notice_not_genuine: phrase("This is not a notification of the payment gateway."),
  },
  conflict: {
    price_changed: phrase("The price has changed. Check it again before you pay."),
    order_not_paid: phrase("Only a paid order can be refunded"),
    order_not_open: phrase("This order is no longer open"),
    payment_type_fixed: phrase("The type cannot be changed. Add another payment gateway instead"),
    payment_unknown_order: phrase("There is no order with this number."),
    payment_other_gateway: phrase("The order was opened with another gateway."),
    payment_paid_twice: phrase("The order was paid twice."),
    payment_other_currency: phrase("Paid in {{paid}} instead of {{expected}}."),
    payment_other_amount: phrase("Paid {{paid}} instead of {{expected}}."),
    payment_of_another_order: phrase("This payment belongs to another order."),
    redemption_expired: phrase("This redemption code has expired"),
    redemption_used: phrase("This redemption code was already used"),
    redemption_fixed: phrase("A redeemed code cannot be changed"),
    credit_reference_taken: phrase(
      "This reference was already used for another credit. Use a new reference.",
    ),
    model_names_repeated: phrase("Model names cannot be repeated"),
    statements_made: phrase("The statements of this month already exist."),
  },
  not_found: {
    payment_gateway_not_found: phrase("Payment gateway not found."),
    order_not_found: phrase("Order not found."),
    redemption_not_found: phrase("Redemption code not found."),
    redemption_unknown: phrase("This redemption code is not valid. Check it and try again"),
    price_not_found: phrase("Price not found."),
    bill_not_found: phrase("Bill not found."),
    statement_not_found: phrase("Statement not found."),
    usage_in_month_not_found: phrase("No usage was found in this month."),
  },
  rate_limit_exceeded: {
    too_many_cached_contents: phrase(
      "This API key has {{most}} cached contents. Delete one, or wait until it expires.",
    ),
    too_many_quotes: phrase("This account has {{most}} open quotes. Use them, or wait until they expire."),
    too_many_orders: phrase("Too many unpaid orders. Pay or cancel one of them first."),
  },
  invalid_request: {
    quote_id_form: phrase('"x-quote-id" must be the ID of a quote.'),
    quote_for_chat_only: phrase('"x-quote-id" works with chat requests only.'),
    quote_endpoint_unknown: phrase(
      'Add the path of a chat endpoint, for example "/v1/quote?endpoint=/v1/chat/completions".',
    ),
    quote_impossible: phrase(
      "The price of this request cannot be quoted: the provider adds content that it does not contain, or it leads to several calls.",
    ),
    redemption_code_missing: phrase("Enter a redemption code"),
    credit_amount: phrase("The amount must be a whole number of points other than 0."),
    balance_too_high: phrase("The balance would exceed the maximum."),
    balance_too_low: phrase("Cannot deduct an amount exceeding the user's balance"),
    amount_below_minimum: phrase("The amount is below the minimum"),
    price_list_empty: phrase("The price list is empty."),
    price_list_unreadable: phrase("The format of the price list is not supported."),
    price_list_repeats: phrase("The price list contains {{model}} twice."),
    price_list_not_answered: phrase("The address did not return a price list."),
    price_model_name: phrase("A model name has 1 to {{most}} characters and no spaces around it."),
    price_wildcard: phrase("A wildcard * is allowed only at the end of a model name."),
    price_kind: phrase("The name of an extra price has 1 to 48 characters."),
    price_tier: phrase("Each tier starts above a different whole number of tokens."),
    price_not_decimal: phrase("{{name}} must be a decimal number of at least 0."),
    price_too_large: phrase("{{name}} must be at most 1000000000 and have at most {{decimals}} decimals."),
    results_not_billable: phrase("The number of results cannot be billed."),
    month_not_over: phrase("Statements can only be created for past months."),
    not_private_key: phrase("This is not an RSA private key"),
    not_public_key: phrase("This is not an RSA public key"),
  },
};
