using System.Text.Json;
using Microsoft.Kiota.Abstractions.Authentication;
using Microsoft.Kiota.Http.HttpClientLibrary;
using Network;
using Network.Models;

string Setting(string name) => Environment.GetEnvironmentVariable(name) ?? throw new ArgumentException(name);

var authentication = new BaseBearerTokenAuthenticationProvider(new FixedToken(Setting("TOKEN")));
var client = new ApiClient(new HttpClientRequestAdapter(authentication) { BaseUrl = Setting("BASE_URL") });

NewPost Post(string text) => new() { IntentId = Setting("INTENT_ID"), Text = text, Audience = "public" };

async Task<object> Refusal<Answer>(Func<Task<Answer>> call)
{
    try
    {
        await call();
        return "no refusal";
    }
    catch (Error refusal)
    {
        return new { status = refusal.ResponseStatusCode, error = refusal.ErrorProp?.ToString()?.ToLowerInvariant() };
    }
}

var session = (await client.Api.Session.GetAsync())!;
var before = (await client.Api.Events.GetAsync())!;
var post = (await client.Api.Posts.PostAsync(Post("Hello")))!.Post!;
var timeline = (await client.Api.Timeline.GetAsync(request => request.QueryParameters.Limit = 10))!;
var shown = timeline.Posts!.Find(each => each.Id == post.Id);
var missing = await Refusal(() => client.Api.Posts["none"].GetAsync());
var conflict = await Refusal(() => client.Api.Posts.PostAsync(Post("Something else")));
var after = (await client.Api.Events.GetAsync(request => request.QueryParameters.Cursor = before.Cursor))!;

Console.WriteLine(JsonSerializer.Serialize(new
{
    session = new { actorId = session.ActorId, appId = session.AppId, expiresAt = session.ExpiresAt },
    post = new { id = post.Id, revision = post.Revision, status = post.Status?.ToString().ToLowerInvariant() },
    shown = new { text = shown?.Text, createdAt = shown?.CreatedAt },
    missing,
    conflict,
    created = after.Events!.Select(each => each.PostCreatedEvent?.Post?.Id).OfType<string>(),
}));

class FixedToken(string token) : IAccessTokenProvider
{
    public AllowedHostsValidator AllowedHostsValidator { get; } = new();

    public Task<string> GetAuthorizationTokenAsync(
        Uri uri,
        Dictionary<string, object>? context = null,
        CancellationToken cancellation = default) => Task.FromResult(token);
}
