using System.Net.Http.Headers;
using System.Text.Json;
using Network;

string Setting(string name) => Environment.GetEnvironmentVariable(name) ?? throw new ArgumentException(name);

var http = new HttpClient();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOKEN"));
var client = new Client(http) { BaseUrl = Setting("BASE_URL") };

NewPost Post(string text) => new() { IntentId = Setting("INTENT_ID"), Text = text, Audience = "public" };

async Task<object> Refusal<Answer>(Func<Task<Answer>> call)
{
    try
    {
        await call();
        return "no refusal";
    }
    catch (ApiException<Error> refusal)
    {
        return new { status = refusal.StatusCode, error = refusal.Result.Error1.ToString().ToLowerInvariant() };
    }
}

// Of a union NSwag knows the first alternative alone: the events of this journey are all of it.
var session = await client.GetSessionAsync();
var before = await client.ListEventsAsync();
var post = (await client.CreatePostAsync(body: Post("Hello"))).Post;
var timeline = await client.GetTimelineAsync(limit: 10);
var shown = timeline.Posts.Single(each => each.Id == post.Id);
var missing = await Refusal(() => client.GetPostAsync("none"));
var conflict = await Refusal(() => client.CreatePostAsync(body: Post("Something else")));
var after = await client.ListEventsAsync(cursor: before.Cursor);

Console.WriteLine(JsonSerializer.Serialize(new
{
    session = new { actorId = session.ActorId, appId = session.AppId, expiresAt = session.ExpiresAt },
    post = new { id = post.Id, revision = post.Revision, status = post.Status.ToString().ToLowerInvariant() },
    shown = new { text = shown.Text, createdAt = shown.CreatedAt },
    missing,
    conflict,
    created = after.Events.Select(each => each.Post.Id),
}));
